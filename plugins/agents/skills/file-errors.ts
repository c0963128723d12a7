/** Returns the code of a file system error such as `ENOENT`, or '' if an error has none. */
export const codeOf = (error: unknown): string => {
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' ? code : ''
}

/** Codes of an entry that does not exist, or has become a link or something else. */
export const MISSING = ['ENOENT', 'ENOTDIR', 'ELOOP']

/** Codes of an entry that the server's user may not access. */
export const DENIED = ['EACCES', 'EPERM']

/** Waits for work; returns undefined if it fails with one of these codes. */
export async function ignoring<Result>(
  codes: readonly string[],
  work: Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work
  } catch (error) {
    if (codes.includes(codeOf(error))) return undefined
    throw error
  }
}
