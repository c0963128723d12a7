/** Returns the name of the package that an import did not find; undefined for any other error. */
export function findMissingPackage(error: unknown): string | undefined {
  const { code, message } = error as NodeJS.ErrnoException
  return code === 'ERR_MODULE_NOT_FOUND' ? /^Cannot find package '([^']+)'/.exec(message)?.[1] : undefined
}

/** Says that an optional package of the server is missing, and how to add it. */
export const describeMissingPackage = (name: string): string =>
  `the optional package ${name} is not installed: install the server again with "npm install --include=optional"`
