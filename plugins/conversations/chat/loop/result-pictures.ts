import type { LanguageModelV3Message } from '@ai-sdk/provider'
import type { Block } from '../documents.ts'
import { userMessage } from './model-context.ts'
import type { Images } from './pictures.ts'
import { withoutPictures } from './prompt-changes.ts'

/** The most pictures of results that a prompt shows, the newest ones. */
const MAX_PICTURES = 4
const HEADING = '[Pictures of the results above]'

/** Reads pictures of the workspace as the model takes them; those that it does not take are missing. */
export type ReadPictures = (pictures: readonly Block[]) => Promise<Images>

/** True for the message that shows a model the pictures of results. */
export const isResultPictures = ({ role, content }: LanguageModelV3Message): boolean =>
  role === 'user' && content[0]?.type === 'text' && content[0].text === HEADING

/**
 * Creates the function that shows the pictures of results to a model. They follow the results in a message of their own:
 * not every vendor takes pictures within results, and all that take pictures take them there.
 */
export function createResultPictures(read: ReadPictures) {
  const shownMessages: { index: number; pictures: number }[] = []

  /** Adds the pictures with these paths to a prompt, and leaves the oldest ones out of it. */
  return async (paths: readonly string[], prompt: LanguageModelV3Message[]): Promise<void> => {
    if (paths.length === 0) return
    const blocks = paths.map((path) => {
      const filename = path.split('/').at(-1)!
      return { type: 'image' as const, path, filename, media_type: 'image/*' }
    })
    const images = await read(blocks)
    if (images.size === 0) return
    const message = userMessage(
      [{ type: 'text', text: HEADING }, ...blocks.filter(({ path }) => images.has(path))],
      images,
    )
    shownMessages.push({ index: prompt.push(message) - 1, pictures: images.size })
    let count = shownMessages.reduce((sum, { pictures }) => sum + pictures, 0)
    while (count > MAX_PICTURES && shownMessages.length > 1) {
      const { index, pictures } = shownMessages.shift()!
      prompt.splice(index, 1, ...withoutPictures([prompt[index]!]))
      count -= pictures
    }
  }
}
