import { documentFacts, nullable, objectOf, pageQuery, rowOf } from '#plugin-api'
import { PAGES_PATTERN } from './document-pages.ts'

const text = { type: 'string' } as const
const bytes = { type: 'integer', minimum: 0 } as const
const flag = { type: 'boolean', default: false } as const
/** A flag of a query: `true` or `1`. */
const queryFlag = { type: ['boolean', 'integer'], minimum: 0, maximum: 1, default: false } as const
/** The most characters of a path. */
export const MAX_PATH = 4096
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
  ...rowOf(
    {
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
      document: { ...documentFacts, description: 'Once the file was read as a document' },
    },
    ['document'],
  ),
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

/** The query to read a document. */
export const documentQuery = objectOf(
  {
    path: namedPath,
    pages: {
      type: 'string',
      pattern: PAGES_PATTERN,
      description: 'One page, a range, or a page and all that follow; by default all',
      examples: ['3-7'],
    },
  },
  ['path'],
)

/** The text of a document. */
export const documentText = {
  title: 'DocumentPages',
  ...rowOf(
    {
      kind: documentFacts.properties.kind,
      document: documentFacts,
      pages: {
        type: 'array',
        description:
          'Documents without pages have parts of about equal length instead, which are numbered alike',
        items: rowOf({ page: { type: 'integer', minimum: 1 }, text }),
      },
      next_page: { type: 'integer', minimum: 1, description: 'The page to continue with, if there are more' },
    },
    ['next_page'],
  ),
} as const

/** The query of a list of a folder. */
export const listQuery = objectOf({
  path: { ...path, default: '', description: 'The folder; by default the workspace', examples: ['notes'] },
  recursive: { ...queryFlag, description: 'Also the contents of its folders, each after its folder' },
  sort: {
    enum: ['name', 'size'],
    default: 'name',
    description: 'By `size` only files are listed, the largest first',
  },
  ...pageQuery,
  cursor: { ...pageQuery.cursor, maxLength: MAX_TOKEN },
})

/** The sizes of the workspaces of an account. */
export const storage = {
  title: 'Storage',
  ...rowOf({
    bytes: {
      ...bytes,
      description: 'Of the files of all agents that the account owns',
      examples: [4_831_838_208],
    },
    max_bytes: { ...bytes, description: 'The limit `account_bytes`', examples: [5_368_709_120] },
    max_workspace_bytes: {
      ...bytes,
      description: 'The limit `workspace_bytes` of each agent',
      examples: [1_073_741_824],
    },
    workspaces: {
      type: 'array',
      description: 'Of each agent, the largest first',
      items: {
        title: 'WorkspaceSize',
        ...rowOf({
          agent_id: { ...text, examples: ['01KDVMF00000000000000000AG'] },
          name: { ...text, description: 'Of the agent', examples: ['assistant'] },
          bytes: { ...bytes, examples: [1_040_187_392] },
        }),
      },
    },
  }),
} as const

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
  ...rowOf(
    {
      path: { type: 'string', description: 'Relative to the workspace', examples: ['inbound/sales.csv'] },
      filename: { ...text, examples: ['sales.csv'] },
      media_type: { ...text, examples: ['text/csv'] },
      size: { type: 'integer', minimum: 0, description: 'Bytes', examples: [1840] },
      document: { ...documentFacts, description: 'Missing for pictures, sounds and videos' },
    },
    ['document'],
  ),
} as const
