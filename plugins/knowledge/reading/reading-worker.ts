import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { cutPassages, type Passage, type PassageSizes } from '../passages/passages.ts'
import { toWords } from '../passages/words.ts'
import type { ReadText } from './blocks.ts'
import type { DocumentKind } from './document-kind.ts'
import { readDocument } from './reader.ts'
import { ReadingFailure, type ReadingProblem } from './reading-failure.ts'

/** A task of the thread: to read a file, to cut what was read, or to return the next passages. */
export type ReadingTask =
  | { task: 'read'; file: string; kind: DocumentKind; output: string }
  | { task: 'cut'; input: string; title: string; sizes: PassageSizes }
  | { task: 'next' }

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

/** The answer to a task; a task to cut is answered with the first passages. */
export type ReadingAnswer = { pages: number | null } | CutBatch | { problem: ReadingProblem }

/** The passages of one answer: few, so that the server's thread receives them in no time. */
const BATCH = 32

let passages: Generator<CutPassage> | undefined
let length = 0

async function answer(task: ReadingTask): Promise<ReadingAnswer> {
  if (task.task === 'read') {
    const read = await readDocument(readFileSync(task.file), task.kind)
    // Half a text, of a server that was killed meanwhile, would be taken for a damaged document.
    const part = `${task.output}.part`
    writeFileSync(part, JSON.stringify(read), { mode: 0o600, flush: true })
    renameSync(part, task.output)
    return { pages: read.pages ?? null }
  }
  if (task.task === 'cut') {
    const read: ReadText = JSON.parse(readFileSync(task.input, 'utf8'))
    length = read.text.length
    passages = cut(read, task)
  }
  const batch: CutPassage[] = []
  for (let next = passages!.next(); !next.done; next = passages!.next()) {
    const passage = next.value
    batch.push(passage)
    if (batch.length === BATCH) return { passages: batch, progress: (passage.end / (length + 1)) * 0.99 }
  }
  passages = undefined
  return { passages: batch, progress: 1 }
}

function* cut(
  read: ReadText,
  { title, sizes }: { title: string; sizes: PassageSizes },
): Generator<CutPassage> {
  for (const passage of cutPassages(read, sizes)) {
    const text = read.text.slice(passage.start, passage.end)
    yield { ...passage, text, words: toWords(`${title} ${passage.heading ?? ''} ${text}`) }
  }
}

parentPort!.on('message', async (task: ReadingTask) => {
  try {
    parentPort!.postMessage(await answer(task))
  } catch (error) {
    // A library that fails on what it reads was given a damaged document.
    const problem = error instanceof ReadingFailure ? error.problem : 'DOCUMENT_DAMAGED'
    parentPort!.postMessage({ problem } satisfies ReadingAnswer)
  }
})
