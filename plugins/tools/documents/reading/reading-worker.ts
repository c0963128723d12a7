import { type ReadingFile, readFile } from './reader.ts'
import { findProblem, type ReadingProblem } from './reading-failure.ts'
import { splitText, type TextPart } from './text-parts.ts'

/**
 * A line that answers a task: a part of the text, the number of pages after the last part, or the problem that ends the
 * task.
 */
export type ReadingAnswer =
  | TextPart
  | { pages: number | null; title?: string }
  | { problem: ReadingProblem; detail?: string }

/** The most characters of the error of a plugin's reader. */
const MAX_DETAIL_CHARS = 2000

/** Reads a file, in a confined program. */
export async function* perform(file: ReadingFile): AsyncGenerator<ReadingAnswer> {
  try {
    const text = await readFile(file)
    yield* splitText(text)
    yield { pages: text.pages ?? null, ...(text.title !== undefined && { title: text.title }) }
  } catch (error) {
    // A library fails only on a damaged document; the author of a plugin's reader needs to know more.
    const detail = file.module && error instanceof Error && error.stack?.slice(0, MAX_DETAIL_CHARS)
    yield { problem: findProblem(error), ...(detail && { detail }) }
  }
}
