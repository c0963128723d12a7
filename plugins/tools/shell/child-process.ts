import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import type { Readable, Writable as WritableStream } from 'node:stream'
import { listInherited } from './inherited-descriptors.ts'
import type { ProcessEnd, ProcessOrder, StartedProcess } from './start-process.ts'

/** A process with pipes for its streams. */
export type Child = ChildProcessByStdio<WritableStream | null, Readable, Readable>

/** The streams of a program. */
export const createStdio = (hasInput: boolean): ('pipe' | 'ignore')[] => [
  hasInput ? 'pipe' : 'ignore',
  'pipe',
  'pipe',
]

let inheritedDescriptors: readonly number[] | undefined

/** Spawns the leader of a process group that has these streams and no other open file of this process. */
export function spawnWith(
  file: string,
  args: readonly string[],
  options: Pick<ProcessOrder, 'cwd' | 'env'>,
  streams: readonly ('pipe' | 'ignore' | number)[],
): Child {
  inheritedDescriptors ??= listInherited()
  const nothing = openSync('/dev/null', 'r')
  try {
    const stdio: ('pipe' | 'ignore' | number)[] = [...streams]
    for (const fd of inheritedDescriptors) {
      while (stdio.length <= fd) stdio.push('ignore')
      if (fd >= streams.length) stdio[fd] = nothing
    }
    return spawn(file, args, { ...options, detached: true, stdio }) as ChildProcess as Child
  } finally {
    closeSync(nothing)
  }
}

/** Waits until a process is started; rejects with the system's error. */
export async function follow(child: ChildProcess): Promise<Pick<StartedProcess, 'ended' | 'closed'>> {
  const ended = once(child, 'exit').then(([code, signal]): ProcessEnd => ({ code, signal }))
  const closed = new Promise((resolve) => child.once('close', resolve))
  if (child.pid === undefined) await ended
  return { ended, closed }
}
