import { nullable, objectOf, rowOf } from '#kernel'
import { pageQuery } from '#toolbox'

const text = { type: 'string' } as const
const flag = { type: 'boolean', default: false } as const
/** A flag of a query: `true` or `1`. */
const queryFlag = { type: ['boolean', 'integer'], minimum: 0, maximum: 1, default: false } as const
const MAX_PATH = 4096

const path = {
  type: 'string',
  maxLength: MAX_PATH,
  pattern: '^[^\\u0000]*$',
  description: 'Relative to the workspace; a leading slash is ignored',
} as const
const namedPath = { ...path, minLength: 1 } as const

/** A file or folder. */
export const fileRow = {
  title: 'File',
  ...rowOf({
    path: { type: 'string', description: 'Relative to the workspace' },
    kind: { enum: ['file', 'directory'] },
    size: { ...nullable({ type: 'integer', minimum: 0 }), description: 'Bytes; null for a directory' },
    media_type: nullable(text),
    updated_at: { type: 'integer', description: 'Unix seconds' },
  }),
} as const

/** A page of files and folders. */
export const fileRows = { type: 'array', items: fileRow } as const

/** The query of a list of a folder. */
export const listQuery = objectOf({
  path: { ...path, default: '', description: 'The folder; by default the workspace' },
  recursive: { ...queryFlag, description: 'Also the contents of its folders, each after its folder' },
  ...pageQuery,
  cursor: { ...pageQuery.cursor, maxLength: 4 * MAX_PATH },
})

/** The query to read a file. */
export const contentQuery = objectOf(
  {
    path: namedPath,
    inline: {
      ...queryFlag,
      description: 'For display in a browser, if the file is a picture, sound, PDF or plain text',
    },
  },
  ['path'],
)

/** The query to write a file. */
export const targetQuery = rowOf({ path: namedPath })

/** The query of a deletion. */
export const deleteQuery = objectOf(
  {
    path: namedPath,
    recursive: { ...queryFlag, description: 'Allows to delete a folder that is not empty' },
  },
  ['path'],
)

/** The query of an archive; by default of the whole workspace. */
export const archiveQuery = objectOf({ path: { ...path, default: '' } })

/** The body of a move. */
export const moveBody = rowOf(
  {
    from: namedPath,
    to: namedPath,
    overwrite: { ...flag, description: 'Allows to replace an existing file' },
  },
  ['overwrite'],
)

/** The body to create a folder. */
export const folderBody = rowOf({ path: namedPath })

/** The body to create a link to a file. */
export const linkBody = rowOf({
  path: namedPath,
  expires_in_seconds: { type: 'integer', minimum: 60, maximum: 3600 },
})

/** A new link. */
export const linkRow = {
  title: 'FileLink',
  ...rowOf({
    url: { type: 'string', description: 'Absolute if the server knows its public URL' },
    expires_at: { type: 'integer', description: 'Unix seconds' },
  }),
} as const

/** The query of a link. */
export const linkedQuery = objectOf(
  { token: { type: 'string', maxLength: 8 * MAX_PATH }, inline: contentQuery.properties.inline },
  ['token'],
)

/** A file that was uploaded. */
export const uploadRow = {
  title: 'Upload',
  ...rowOf({
    path: { type: 'string', description: 'Relative to the workspace' },
    filename: text,
    media_type: text,
    size: { type: 'integer', minimum: 0, description: 'Bytes' },
  }),
} as const
