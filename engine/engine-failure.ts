import { statfsSync } from 'node:fs'

/** The database cannot be used; the message is a sentence for the person who started the server. */
export class DatabaseFailure extends Error {}

/**
 * Creates the failure of an engine that does not serve its directory. `event` says what the engine did, and `words` is
 * its own message, which may be empty. It needs `room` bytes of free space.
 */
export function engineFailure(
  directory: string,
  event: string,
  words: string,
  options?: ErrorOptions,
  room = ENGINE_ROOM,
) {
  if (isFull(directory, room))
    return new DatabaseFailure(
      `the database in ${directory} cannot be used, because the disk is full; it works again when there is space`,
      options,
    )
  const reason = words
    ? `: ${words}`
    : ' and left no message, which happens when files are damaged; "svc restore" makes a home from a backup, and SVC_HOME chooses another home'
  return new DatabaseFailure(
    `the database in ${directory} cannot be used, because its engine ${event}${reason}`,
    options,
  )
}

/** The engine needs more than this for its journal when it starts, in bytes. */
const ENGINE_ROOM = 1024 ** 2

/** True if a directory is on a file system with less than this many bytes free; some network file systems have no size. */
function isFull(directory: string, room: number): boolean {
  const { bavail, bsize, blocks } = statfsSync(directory)
  return blocks > 0 && bavail * bsize < room
}
