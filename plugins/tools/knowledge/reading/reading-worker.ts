import { readFileSync, writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { cutPassages, type Passage, type PassageSizes } from '../passages/passages.ts'
import { toWords } from '../passages/words.ts'
import type { ReadText } from './blocks.ts'
import type { DocumentKind } from './document-kind.ts'
import { readDocument } from './reader.ts'
import { findProblem, type ReadingProblem } from './reading-failure.ts'
import { joinParts, splitText, type TextPart } from './text-parts.ts'

/** A task: to read a file, or to cut the text of the last file, or a stored text, into passages. */
export type ReadingTask =
  | { read: { path: string; kind: DocumentKind } }
  | { cut: { stored?: string; title: string; sizes: PassageSizes } }

/** A passage with its text, and its words for the index. */
export interface CutPassage extends Passage {
  text: string
  words: string
}

/** Some passages; `progress` is 1 with the last ones. */
export interface CutBatch {
  passages: CutPassage[]
  progress: number
}

/**
 * A line that answers a task: a part of the text, the number of pages after the last part, some passages, or the
 * problem that ends the task.
 */
export type ReadingAnswer = TextPart | { pages: number | null } | CutBatch | { problem: ReadingProblem }

/** The passages of one answer: few, so that the server's thread receives them in no time. */
const BATCH = 32
/** The pause while the server has not taken the answers before, in milliseconds. */
const FULL_MS = 5

const { output } = workerData as { output: number }
const pause = new Int32Array(new SharedArrayBuffer(4))
let current: ReadText | undefined

async function* perform(task: ReadingTask): AsyncGenerator<ReadingAnswer> {
  if ('read' in task) {
    const { path, kind } = task.read
    current = await readDocument(readFileSync(path), kind)
    yield* splitText(current)
    yield { pages: current.pages ?? null }
    return
  }
  const { stored, ...request } = task.cut
  if (stored !== undefined) current = readStored(stored)
  yield* cut(current!, request)
}

const readStored = (path: string): ReadText => {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  return joinParts(lines.map((line) => JSON.parse(line)))
}

function* cut(read: ReadText, { title, sizes }: { title: string; sizes: PassageSizes }): Generator<CutBatch> {
  let passages: CutPassage[] = []
  for (const passage of cutPassages(read, sizes)) {
    const text = read.text.slice(passage.start, passage.end)
    passages.push({ ...passage, text, words: toWords(`${title} ${passage.heading ?? ''} ${text}`) })
    if (passages.length < BATCH) continue
    yield { passages, progress: (passage.end / (read.text.length + 1)) * 0.99 }
    passages = []
  }
  yield { passages, progress: 1 }
}

/** Writes an answer; waits until the server has taken the ones before. */
function write(answer: ReadingAnswer): void {
  const line = Buffer.from(`${JSON.stringify(answer)}\n`)
  for (let start = 0; start < line.length; ) {
    try {
      start += writeSync(output, line, start)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      Atomics.wait(pause, 0, 0, FULL_MS)
    }
  }
}

parentPort!.on('message', async (task: ReadingTask) => {
  try {
    for await (const answer of perform(task)) write(answer)
  } catch (error) {
    // A library fails only on a damaged document.
    write({ problem: findProblem(error) })
  }
})
