import { readdirSync, readFileSync } from 'node:fs'

/** O_CLOEXEC of Linux: a program does not inherit the descriptor. */
const CLOSE_ON_EXEC = 0o2000000

/**
 * Lists the descriptors above the standard ones that a program would inherit from this process: those that its own
 * parent left open. Node.js marks all of its own as not inherited.
 */
export function listInherited(): number[] {
  try {
    return readdirSync('/proc/self/fdinfo')
      .map(Number)
      .filter((fd) => fd > 2 && isInherited(fd))
  } catch (error) {
    // Not Linux.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))![1]!
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0
  } catch (error) {
    // It was closed meanwhile.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
