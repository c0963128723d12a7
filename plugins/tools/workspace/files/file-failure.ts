/** A failure of work on a file; the message is for the model and holds no absolute paths of the server. */
export class FileFailure extends Error {}

/** The path leads out of the folder that it must stay in. */
export class OutsideFailure extends FileFailure {}

const REASONS: Record<string, string> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'is not a folder, or something on the way to it is not',
  EISDIR: 'is a folder',
  ELOOP: 'is a link that cannot be followed',
  EACCES: 'may not be opened',
  EPERM: 'may not be opened',
  ENXIO: 'is not a regular file',
  ENAMETOOLONG: 'has a name that is too long',
  ENOSPC: 'cannot be written: the disk is full',
  EDQUOT: 'cannot be written: the disk quota is used up',
  EROFS: 'cannot be written: the disk is read-only',
}

const readCode = (error: unknown) => (error as NodeJS.ErrnoException).code ?? ''

/** Quotes a path for a message. */
export function quote(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path)
}

/** Runs work on `path` and converts errors of the system to a FileFailure. */
export async function explainErrors<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const code = readCode(error)
    if (error instanceof FileFailure || !/^E[A-Z0-9]+$/.test(code)) throw error
    throw new FileFailure(`${quote(path)} ${REASONS[code] ?? `cannot be used (${code})`}`, { cause: error })
  }
}

/** Waits for an operation; returns undefined if it fails with one of these codes. */
export async function ignoreCodes<Result>(
  codes: string[],
  work: Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work
  } catch (error) {
    if (codes.includes(readCode(error))) return undefined
    throw error
  }
}
