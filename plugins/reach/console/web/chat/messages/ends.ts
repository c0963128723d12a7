/** The words for the ends of an answer that a person should know of. */
export const END_WORDS = {
  length: 'tools.length',
  filtered: 'tools.filtered',
  refused: 'tools.refused',
  max_steps: 'tools.max_steps',
  stopped: 'tools.stopped_turn',
} as const
