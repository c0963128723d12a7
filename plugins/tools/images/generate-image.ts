import { AppError, defineTool, detectPictureType, objectOf, type Tool, type ToolContext } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import { toPictureName } from './picture-name.ts'

/** The largest picture that can be changed, in bytes: as large as an upload. */
const MAX_INPUT_BYTES = 20 * 1024 * 1024

const input = objectOf(
  {
    prompt: {
      type: 'string',
      maxLength: 8000,
      pattern: '\\S',
      description: 'Everything that the picture should show, its style and its text, in full sentences.',
    },
    size: {
      type: 'string',
      pattern: '^[1-9][0-9]{1,3}x[1-9][0-9]{1,3}$',
      description:
        'Width and height in pixels, such as "1024x1024" or "1536x1024". Models take few sizes; leave it out if the user does not care.',
    },
    input_path: {
      type: 'string',
      minLength: 1,
      maxLength: 4096,
      description: 'A picture of the workspace (PNG, JPEG, WebP or GIF) that is changed as the prompt says.',
    },
  },
  ['prompt'],
)

type MediaFile = Awaited<ReturnType<Cradle['mediaModels']['draw']>>[number]

/** The services that the tool uses. */
type Services = Pick<Cradle, 'agents' | 'describeError' | 'extensions' | 'mediaModels'>

/** Creates the tool that draws a picture; turns have it while an image model is chosen. */
export function createGenerateImage(services: () => Services): Tool {
  const tool: Tool = defineTool({
    name: 'generate_image',
    label: { en: 'Draw a picture', zh: '生成图片' },
    description:
      'Draws a picture from a description, or changes a picture of the workspace, and shows the result to the user. The picture is saved in the workspace; the result names its path. Each call costs money, so draw once per picture that the user wants.',
    input_schema: input,
    disableable: true,
    forTurn: async ({ user_id }) => ((await services().mediaModels.find('image', user_id)) ? tool : null),
    async execute({ prompt, size, input_path }, context) {
      const parts = services()
      try {
        const inputs = input_path === undefined ? [] : [await readPicture(input_path, context, parts)]
        const { user_id: account_id, agent_id, thread_id, locale, signal } = context
        const pictures = await parts.mediaModels.draw({
          ...{ account_id, agent_id, thread_id, locale, signal },
          ...{ prompt, inputs, size: size as `${number}x${number}` | undefined },
        })
        const paths = []
        for (const picture of pictures) paths.push(await keepPicture(picture, prompt, context, parts))
        return `The user sees the picture. It is saved as ${paths.map((path) => JSON.stringify(path)).join(', ')}.`
      } catch (error) {
        context.signal.throwIfAborted()
        if (!(error instanceof AppError)) throw error
        throw new Error(explain(error, parts), { cause: error })
      }
    },
  })
  return tool
}

/** Reads a picture of the workspace. Throws a sentence for the model. */
async function readPicture(
  path: string,
  { agent_id }: ToolContext,
  { extensions }: Services,
): Promise<MediaFile> {
  const question = { agent_id, max_bytes: MAX_INPUT_BYTES, paths: [path] }
  const [contents] = await extensions['agents.file_contents'].ask(question)
  const data = contents?.get(path)
  if (!data)
    throw new Error(
      `${JSON.stringify(path)} cannot be read: it is not a file of the workspace, or larger than ${MAX_INPUT_BYTES} bytes`,
    )
  const media_type = detectPictureType(data)
  if (!media_type) throw new Error(`${JSON.stringify(path)} is not a PNG, JPEG, WebP or GIF picture`)
  return { data, media_type }
}

/** Stores a picture under a name that no other file has and shows it to the reader of the turn; returns its path. */
async function keepPicture(
  { data, media_type }: MediaFile,
  prompt: string,
  { agent_id, user_id, attach }: ToolContext,
  { agents }: Services,
): Promise<string> {
  const file = { bytes: data, filename: toPictureName(prompt, media_type), media_type }
  const stored = await agents.receive(file, { agent_id, user_id })
  if (!stored) throw new Error('the picture could not be saved: this server keeps no files of agents')
  attach({ path: stored.path, media_type, for_model: true })
  return stored.path
}

/** Explains a failure to the model, with the words of the vendor if it has said any. */
function explain({ code, details }: AppError, { describeError }: Services): string {
  const { detail } = details
  const words = describeError(code, details, 'en') ?? code
  return typeof detail === 'string' ? `${words} The provider says: ${detail}` : words
}
