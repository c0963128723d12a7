/** The code of what the file system refuses, such as `ENOENT`; '' where an error has none. */
export const codeOf = (error: unknown): string => {
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' ? code : ''
}

/** Codes of what is not there, or is not what it was taken for. */
export const AWAY = ['ENOENT', 'ENOTDIR', 'ELOOP']

/** Codes of what the server's user may not use. */
export const DENIED = ['EACCES', 'EPERM']

/** Waits for work; gives undefined where it fails with one of these codes. */
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
