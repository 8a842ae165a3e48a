// Questions that were sent and are not in the conversation yet. A connection can be dead long before anybody hears of it,
// so they are kept until they are seen there, also for the page that comes after this one.

const UNDERWAY = "chat-ui-underway";

export const underway = () => JSON.parse(sessionStorage.getItem(UNDERWAY)) ?? [];

export function setUnderway(questions) {
  if (questions.length > 0) sessionStorage.setItem(UNDERWAY, JSON.stringify(questions));
  else sessionStorage.removeItem(UNDERWAY);
}

// Whether a turn that came after the one that was the last has this question.
export function isAmong(turns, { question, after }) {
  const since = turns.slice(turns.findIndex((turn) => turn.id === after) + 1);
  return since.some((turn) => (turn.question_is_cut ? question.startsWith(turn.question) : question === turn.question));
}
