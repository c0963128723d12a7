import { constants } from 'node:fs'
import { charset, lookup } from 'mime-types'
import { objectOf, type Tool, type TypeOf } from '#kernel'
import { explaining, FileFailure, quote } from './file-failure.ts'
import { findPlace, openFile } from './workspace-path.ts'

const MAX_BYTES = 4 * 1024 * 1024

const input = objectOf(
  {
    path: {
      type: 'string',
      minLength: 1,
      maxLength: 4096,
      description: 'A file, relative to the workspace.',
    },
    content: { type: 'string', description: 'The whole text of the file.' },
  },
  ['path', 'content'],
)

/** Writes a text file, over the one that is there if there is one, and shows it to the reader of the turn. */
export const writeFile: Tool = {
  name: 'write_file',
  label: { en: 'Write a file', zh: '写入文件' },
  description: 'Writes a text file of the workspace with the content given; makes the folders above it.',
  input_schema: input,
  disableable: true,
  execute({ path, content }: TypeOf<typeof input>, { workspace, signal, attach }) {
    const bytes = Buffer.from(content)
    return explaining(path, async () => {
      if (bytes.length > MAX_BYTES)
        throw new FileFailure(`the content has ${bytes.length} bytes; at most ${MAX_BYTES} can be written`)
      signal.throwIfAborted()
      const place = await findPlace(workspace, path)
      const file = await openFile(place, constants.O_WRONLY | constants.O_CREAT, { create: true })
      try {
        const { nlink } = await file.stat()
        if (nlink > 1)
          throw new FileFailure(`${quote(path)} has a second name, perhaps outside the workspace`)
        await file.truncate()
        await file.writeFile(bytes)
      } finally {
        await file.close()
      }
      const written = place.parts.join('/')
      attach({ path: written, media_type: mediaTypeOf(written) })
      return `${bytes.length} bytes were written to ${quote(written)}`
    })
  },
}

/** The media type by the file's name, as far as it is one of text: `.ts` is no video here. */
function mediaTypeOf(path: string): string {
  const type = lookup(path)
  return type && (charset(type) || type === 'image/svg+xml') ? type : 'text/plain'
}
