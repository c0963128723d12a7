import { posix } from 'node:path'
import type { Archive } from './archive.ts'

/** Returns the path in an archive that a reference in one of its files leads to, without its fragment. */
export function resolvePath(archive: Archive, from: string, reference: string): string {
  const [relative = ''] = reference.split('#', 1)
  const path = posix.join(posix.dirname(from), relative)
  if (archive.has(path)) return path
  try {
    return posix.join(posix.dirname(from), decodeURIComponent(relative))
  } catch {
    // A percent sign of the name itself.
    return path
  }
}
