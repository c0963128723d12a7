import { isAbsolute, relative, sep } from 'node:path'

/** True if an absolute path is `folder` or lies below it, by its name alone: links are not followed. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
