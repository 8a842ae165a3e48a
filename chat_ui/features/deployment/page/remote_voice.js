// The voice of an answer's deployment. Its sound is decoded here: the policy of the page does not allow `blob:` media,
// the server does not know the sentences, and WebKit allows all sounds of a context after one press.

import { request } from "../../../page/shared/loading.js";

// Some browsers never start a context without an output device.
const MOST_TO_BEGIN = 3000;

export class RemoteVoice {
  #leave = new AbortController();
  #ahead = null;

  /**
   * Requests sentences of the `answer` with that address from the services at `services`, and plays them in `audio`.
   * Close `audio` to stop both.
   */
  constructor(services, answer, audio) {
    this.address = `${services}${answer.split("/").pop()}/speech`;
    this.audio = audio;
    audio.addEventListener("statechange", () => audio.state === "closed" && this.#leave.abort());
  }

  /**
   * Resolves at the end of `words`, during which `next` is fetched, the words of the next call. Rejects if they cannot
   * be heard, and like `request`, with 404 if this answer's deployment does not have a voice.
   */
  async speak(words, next) {
    const sound = await (this.#ahead ?? this.#sound(words));
    this.#ahead = next ? this.#sound(next) : null;
    // The next call reports its failure.
    this.#ahead?.catch(() => {});
    await Promise.race([this.audio.resume(), new Promise((end) => setTimeout(end, MOST_TO_BEGIN))]);
    if (this.audio.state !== "running") throw new Error("The sound does not begin.");
    const source = this.audio.createBufferSource();
    source.buffer = sound;
    source.connect(this.audio.destination);
    source.start();
    await new Promise((end) => source.addEventListener("ended", end));
  }

  async #sound(text) {
    const response = await request(this.address, "POST", { text }, { signal: this.#leave.signal });
    return this.audio.decodeAudioData(await response.arrayBuffer());
  }
}
