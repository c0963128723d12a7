import { nullable, objectOf, rowOf } from '#kernel'
import { pageQuery } from '#toolbox'

const text = { type: 'string' } as const
const flag = { type: 'boolean', default: false } as const
/** A flag of a query: `true` or `1`. */
const queryFlag = { type: ['boolean', 'integer'], minimum: 0, maximum: 1, default: false } as const
const MAX_PATH = 4096
/** The most characters of a text that holds such a path; with it, the headers of a request stay below 16 KiB. */
const MAX_TOKEN = 2 * MAX_PATH

const path = {
  type: 'string',
  maxLength: MAX_PATH,
  pattern: '^[^\\u0000]*$',
  description: 'Relative to the workspace; a leading slash is ignored',
  examples: ['notes/plan.md'],
} as const
const namedPath = { ...path, minLength: 1 } as const

/** The bytes of a file, in the word that generators of clients know. */
export const BINARY = { type: 'string', format: 'binary' } as const

/** A file or folder. */
export const fileRow = {
  title: 'File',
  ...rowOf({
    path: { type: 'string', description: 'Relative to the workspace', examples: ['notes/plan.md'] },
    kind: { enum: ['file', 'directory'] },
    size: {
      ...nullable({ type: 'integer', minimum: 0 }),
      description: 'Bytes; null for a directory',
      examples: [1840],
    },
    media_type: {
      ...nullable(text),
      description: 'By its name; null for a directory',
      examples: ['text/markdown'],
    },
    updated_at: { type: 'integer', description: 'Unix seconds' },
  }),
} as const

/** A new folder. */
export const folderRow = {
  ...fileRow,
  examples: [
    { path: 'notes/drafts', kind: 'directory', size: null, media_type: null, updated_at: 1_767_225_600 },
  ],
} as const

/** A page of files and folders. */
export const fileRows = { type: 'array', items: fileRow } as const

/** The query of a list of a folder. */
export const listQuery = objectOf({
  path: { ...path, default: '', description: 'The folder; by default the workspace', examples: ['notes'] },
  recursive: { ...queryFlag, description: 'Also the contents of its folders, each after its folder' },
  ...pageQuery,
  cursor: { ...pageQuery.cursor, maxLength: MAX_TOKEN },
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
export const archiveQuery = objectOf({
  path: { ...path, default: '', description: 'The folder; by default the workspace', examples: ['notes'] },
})

/** The body of a move. */
export const moveBody = rowOf(
  {
    from: namedPath,
    to: { ...namedPath, examples: ['notes/rest.md'] },
    overwrite: { ...flag, description: 'Allows to replace an existing file' },
  },
  ['overwrite'],
)

/** The body to create a folder. */
export const folderBody = rowOf({ path: { ...namedPath, examples: ['notes/drafts'] } })

/** The body to create a link to a file. */
export const linkBody = rowOf({
  path: namedPath,
  expires_in_seconds: {
    type: 'integer',
    minimum: 60,
    maximum: 3600,
    description: 'Seconds',
    examples: [600],
  },
})

/** A new link. */
export const linkRow = {
  title: 'FileLink',
  ...rowOf({
    url: {
      type: 'string',
      description: 'Absolute if the server knows its public URL, otherwise a path of the server',
      examples: ['/api/agents/01KDVMF00000000000000000AG/files/linked?token=v1.3q2xT0vEw8mZr5uH'],
    },
    expires_at: { type: 'integer', description: 'Unix seconds', examples: [1_767_226_200] },
  }),
} as const

/** The path of a link. */
export const linkedParams = rowOf({ id: { type: 'string', description: 'The id of the agent' } })

/** The query of a link. */
export const linkedQuery = objectOf(
  {
    token: { type: 'string', maxLength: MAX_TOKEN, description: 'From the address of the link' },
    inline: contentQuery.properties.inline,
  },
  ['token'],
)

/** A file that was uploaded. */
export const uploadRow = {
  title: 'Upload',
  ...rowOf({
    path: { type: 'string', description: 'Relative to the workspace', examples: ['inbound/sales.csv'] },
    filename: { ...text, examples: ['sales.csv'] },
    media_type: { ...text, examples: ['text/csv'] },
    size: { type: 'integer', minimum: 0, description: 'Bytes', examples: [1840] },
  }),
} as const
