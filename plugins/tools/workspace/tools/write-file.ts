import { rowOf, type Tool, type ToolContext, type TypeOf } from '#plugin-api'
import { lookupMediaType } from '../files/file-facts.ts'
import { explainErrors, quote } from '../files/file-failure.ts'
import { createFile, toBytes } from '../files/file-replacement.ts'
import { isOutsideWrite, takeWritablePlace, toShownPath, writablePath } from '../files/writable-place.ts'
import type { WorkspaceRoom } from '../workspace-room.ts'

const input = rowOf({
  path: writablePath,
  content: { type: 'string', description: 'The whole text of the file.' },
})

/** Creates the tool that creates or replaces a text file and attaches it to the turn. */
export const createWriteFile = (room: () => WorkspaceRoom): Tool => ({
  name: 'write_file',
  label: { en: 'Write a file', zh: '写入文件' },
  description: 'Writes a text file of the workspace with the given content, creating its parent folders.',
  input_schema: input,
  disableable: true,
  needsApproval: isOutsideWrite,
  execute({ path, content }: TypeOf<typeof input>, context: ToolContext) {
    return explainErrors(path, async () => {
      const bytes = toBytes(content)
      context.signal.throwIfAborted()
      const location = await takeWritablePlace(path, context)
      const grow = room().growthForTools(context.agent_id, location)
      await createFile(location, bytes, { grow, signal: context.signal })
      const written = toShownPath(location)
      if (!location.is_outside)
        context.attach({ path: written, media_type: lookupMediaType(written, 'text/plain') })
      return `${bytes.length} bytes were written to ${quote(written)}`
    })
  },
})
