import { isDeepStrictEqual } from 'node:util'
import type { Command } from '#plugin-api'
import { readExport } from './export-format.ts'
import type { Cradle } from './manifest.ts'

/** `svc replay`: runs an exported trajectory through the current code. */
export const replayCommand: Command<Cradle> = {
  name: 'replay',
  summary: 'Replay an exported trajectory with its recorded answers, and report where the outcome differs',
  arguments: [{ name: 'file', summary: 'a file from /trajectory/export, as jsonl or json', required: true }],
  database: false,
  async run({ args: [file], stdout, stderr }, { turnReplay }) {
    const turns = await readExport(file!)
    let different = 0
    for (const [turn_id, events] of turns) {
      const { recorded, replayed } = await turnReplay.run(events)
      const difference = findDifference(recorded, replayed)
      if (!difference) continue
      different += 1
      const { path, was, is } = difference
      stderr.write(`${turn_id}: ${path} was ${show(was)} and is ${show(is)}\n`)
    }
    stdout.write(`turns replayed: ${turns.size}, with another outcome: ${different}\n`)
    return different > 0 ? 1 : 0
  },
}

interface Difference {
  path: string
  was: unknown
  is: unknown
}

/** Finds the first place where two JSON values differ. */
function findDifference(was: unknown, is: unknown, path = ''): Difference | undefined {
  if (isDeepStrictEqual(was, is)) return undefined
  if (!isContainer(was) || !isContainer(is) || Array.isArray(was) !== Array.isArray(is))
    return { path, was, is }
  for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const difference = findDifference(was[key], is[key], `${path}/${key}`)
    if (difference) return difference
  }
  return { path, was, is }
}

const isContainer = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 200 ? `${text.slice(0, 199)}…` : text
}
