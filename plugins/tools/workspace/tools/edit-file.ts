import { rowOf, type Tool, type ToolContext, type TypeOf } from '#plugin-api'
import { lookupMediaType } from '../files/file-facts.ts'
import { explainErrors, FileFailure, quote } from '../files/file-failure.ts'
import { changeFile } from '../files/file-replacement.ts'
import { applyEdit } from '../files/text-edit.ts'
import { isOutsideWrite, takeWritablePlace, toShownPath, writablePath } from '../files/writable-place.ts'
import { formatCount } from '../output.ts'
import type { WorkspaceRoom } from '../workspace-room.ts'

const MAX_STRING = 1024 * 1024

const input = rowOf(
  {
    path: writablePath,
    old_string: {
      type: 'string',
      maxLength: MAX_STRING,
      description:
        'The text to replace, exactly as it is in the file; must occur once unless replace_all is set.',
    },
    new_string: { type: 'string', maxLength: MAX_STRING, description: 'The text to put in its place.' },
    replace_all: { type: 'boolean', description: 'True to replace every occurrence. Default: false.' },
  },
  ['replace_all'],
)

/** Creates the tool that replaces a text in a text file. */
export const createEditFile = (room: () => WorkspaceRoom): Tool => ({
  name: 'edit_file',
  label: { en: 'Edit a file', zh: '编辑文件' },
  description:
    'Replaces one exact text in a text file of the workspace with another. If every line of the file ends in CRLF, a newline in the strings means CRLF.',
  input_schema: input,
  disableable: true,
  needsApproval: isOutsideWrite,
  execute({ path, old_string, new_string, replace_all = false }: TypeOf<typeof input>, context: ToolContext) {
    return explainErrors(path, async () => {
      if (old_string === '') throw new FileFailure('old_string is empty; use write_file to create a file')
      if (old_string === new_string) throw new FileFailure('old_string and new_string are the same')
      // A lone surrogate would match inside a character, and cannot be written.
      if (/\p{Surrogate}/u.test(old_string) || /\p{Surrogate}/u.test(new_string))
        throw new FileFailure('old_string and new_string must not begin or end within a character')
      context.signal.throwIfAborted()
      const location = await takeWritablePlace(path, context)
      const edited = toShownPath(location)
      let count = 0
      await changeFile(
        location,
        (current) => {
          const result = applyEdit(current, { path, old_string, new_string, replace_all })
          count = result.count
          return result.bytes
        },
        { grow: room().growthForTools(context.agent_id, location), signal: context.signal },
      )
      if (!location.is_outside)
        context.attach({ path: edited, media_type: lookupMediaType(edited, 'text/plain') })
      return `${formatCount(count, 'occurrence')} replaced in ${quote(edited)}`
    })
  },
})
