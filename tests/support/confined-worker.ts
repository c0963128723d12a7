import { writeSync } from 'node:fs'
import { argv, env } from 'node:process'

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

/** The descriptor of the answers. */
const OUTPUT = 1

const answer = (value: unknown) => writeSync(OUTPUT, `${JSON.stringify(value)}\n`)

const deeds: Record<Exclude<Deed, 'echo'>, () => void> = {
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
        writeSync(OUTPUT, Buffer.alloc(MIB, 'x'))
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

export async function* perform({ deed }: { deed: Deed }): AsyncGenerator<unknown> {
  // Deeds that do not return answer by themselves.
  if (deed === 'echo') yield 'echo'
  else deeds[deed]()
}
