import { nullable, objectOf, pageQuery } from '#kernel'

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
  ...objectOf(
    {
      path: { type: 'string', description: 'Relative to the workspace' },
      kind: { enum: ['file', 'directory'] },
      size: { ...nullable({ type: 'integer', minimum: 0 }), description: 'Bytes; null for a directory' },
      media_type: nullable(text),
      updated_at: { type: 'integer', description: 'Unix seconds' },
    },
    ['path', 'kind', 'size', 'media_type', 'updated_at'],
  ),
} as const

/** A page of files and folders. */
export const fileRows = { type: 'array', items: fileRow } as const

/** Which folder is listed, and which page of it. */
export const listQuery = objectOf({
  path: { ...path, default: '', description: 'The folder; the workspace where there is none' },
  recursive: { ...queryFlag, description: 'Also what its folders hold, each behind its folder' },
  ...pageQuery,
  cursor: { ...pageQuery.cursor, maxLength: 4 * MAX_PATH },
})

/** Which file is read, and how a browser treats it. */
export const contentQuery = objectOf(
  {
    path: namedPath,
    inline: {
      ...queryFlag,
      description: 'To be shown by a browser, if it is a picture, sound, PDF or plain text',
    },
  },
  ['path'],
)

/** Which file is written. */
export const targetQuery = objectOf({ path: namedPath }, ['path'])

/** The query of a deletion. */
export const deleteQuery = objectOf(
  { path: namedPath, recursive: { ...queryFlag, description: 'Also a folder that is not empty' } },
  ['path'],
)

/** Which folder is packed; the workspace where there is none. */
export const archiveQuery = objectOf({ path: { ...path, default: '' } })

/** The body of a move. */
export const moveBody = objectOf(
  { from: namedPath, to: namedPath, overwrite: { ...flag, description: 'Also onto a file that exists' } },
  ['from', 'to'],
)

/** Which folder is made. */
export const folderBody = objectOf({ path: namedPath }, ['path'])

/** Which file a link opens, and for how long. */
export const linkBody = objectOf(
  { path: namedPath, expires_in_seconds: { type: 'integer', minimum: 60, maximum: 3600 } },
  ['path', 'expires_in_seconds'],
)

/** A link that was made. */
export const linkRow = {
  title: 'FileLink',
  ...objectOf(
    {
      url: { type: 'string', description: 'Absolute where the server knows its public URL' },
      expires_at: { type: 'integer', description: 'Unix seconds' },
    },
    ['url', 'expires_at'],
  ),
} as const

/** The token of a link. */
export const linkedQuery = objectOf(
  { token: { type: 'string', maxLength: 8 * MAX_PATH }, inline: contentQuery.properties.inline },
  ['token'],
)
