import { writeSync } from 'node:fs'
import { argv, env } from 'node:process'
import { parentPort, workerData } from 'node:worker_threads'

// A module for confined programs, which does what libraries do with hostile files.

type Deed =
  | 'echo'
  | 'look'
  | 'fill-buffers'
  | 'fill-heap'
  | 'take-much'
  | 'spin'
  | 'throw'
  | 'flood'
  | 'print'

const MIB = 1024 * 1024
const held: unknown[] = []

const answer = (value: unknown) => writeSync(workerData.output, `${JSON.stringify(value)}\n`)

const deeds: Record<Deed, () => void> = {
  echo: () => answer('echo'),
  look: () => answer({ env: { ...env }, pid: process.pid, argv }),
  'fill-buffers'() {
    for (;;) held.push(Buffer.alloc(8 * MIB, 1))
  },
  'fill-heap'() {
    for (;;) held.push({ field: [held.length] })
  },
  'take-much'() {
    try {
      held.push(new Uint8Array(3072 * MIB).fill(1))
    } catch (error) {
      answer((error as Error).message)
    }
  },
  spin() {
    answer(process.pid)
    for (;;) held.pop()
  },
  throw() {
    throw new Error('no document')
  },
  flood() {
    for (;;) {
      try {
        writeSync(workerData.output, Buffer.alloc(MIB, 'x'))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      }
    }
  },
  print() {
    console.log('not an answer')
    answer('printed')
  },
}

parentPort!.on('message', ({ deed }: { deed: Deed }) => deeds[deed]())
