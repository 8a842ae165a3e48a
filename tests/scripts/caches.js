// Caches as a browser has them, in memory: what the tests' page has none of.

const pathOf = (request) => new URL(request.url ?? request, "http://localhost/").pathname;

class MemoryCache {
  #entries = new Map();

  async put(request, response) {
    this.#entries.set(pathOf(request), response);
  }

  async match(request) {
    return this.#entries.get(pathOf(request))?.clone();
  }

  async delete(request) {
    return this.#entries.delete(pathOf(request));
  }

  async keys() {
    return [...this.#entries.keys()].map((path) => ({ url: `http://localhost${path}` }));
  }
}

/** The `caches` of a browser that has kept nothing yet. */
export class MemoryCaches {
  #caches = new Map();

  async open(name) {
    if (!this.#caches.has(name)) this.#caches.set(name, new MemoryCache());
    return this.#caches.get(name);
  }

  async keys() {
    return [...this.#caches.keys()];
  }

  async delete(name) {
    return this.#caches.delete(name);
  }

  async match(request, { cacheName }) {
    return this.#caches.get(cacheName)?.match(request);
  }
}
