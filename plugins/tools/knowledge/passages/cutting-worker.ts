import { readFileSync } from 'node:fs'
import type { ReadText } from '../../documents/reading/blocks.ts'
import type { TextPart } from '../../documents/reading/text-parts.ts'
import { cutPassages, type Passage, type PassageSizes } from './passages.ts'
import { toWords } from './words.ts'

/** A task: to cut a stored text into passages. */
export interface CuttingTask {
  path: string
  title: string
  sizes: PassageSizes
}

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

/** The passages of one answer: few, so that the server's thread receives them in no time. */
const BATCH = 32

const readStored = (path: string): ReadText => {
  const parts: TextPart[] = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  return { text: parts.map(({ text }) => text).join(''), segments: parts.flatMap(({ segments }) => segments) }
}

/** Cuts a text, in a confined program. */
export async function* perform({ path, title, sizes }: CuttingTask): AsyncGenerator<CutBatch> {
  const stored = readStored(path)
  let passages: CutPassage[] = []
  for (const passage of cutPassages(stored, sizes)) {
    const text = stored.text.slice(passage.start, passage.end)
    passages.push({ ...passage, text, words: toWords(`${title} ${passage.heading ?? ''} ${text}`) })
    if (passages.length < BATCH) continue
    yield { passages, progress: (passage.end / (stored.text.length + 1)) * 0.99 }
    passages = []
  }
  yield { passages, progress: 1 }
}
