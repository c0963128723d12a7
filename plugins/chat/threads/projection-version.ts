/** The version of the messages that `projectTurn` makes; threads with older ones are rebuilt from their ledgers. */
export const PROJECTION_VERSION = 10
