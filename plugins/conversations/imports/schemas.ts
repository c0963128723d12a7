import { nullable, objectOf, pageQuery, rowOf } from '#plugin-api'
import { IMPORT_KINDS } from './conversation.ts'
import { IMPORT_STATES, LINE_STATUSES } from './documents.ts'

const text = { type: 'string' } as const
const count = { type: 'integer', minimum: 0 } as const
const time = { type: 'integer', description: 'Unix seconds', examples: [1_893_456_000] } as const
const agentId = { ...text, examples: ['agt_01KDVMF0000000000000000001'] } as const
const threadId = { ...text, examples: ['thr_01KDVMF0000000000000000001'] } as const

const reason = {
  title: 'ImportReason',
  ...rowOf({
    code: { ...text, description: 'Decide by this', examples: ['CONVERSATION_TOO_LARGE'] },
    message: {
      ...text,
      description: 'A sentence for people',
      examples: ['The conversation is larger than 16 MB.'],
    },
  }),
} as const

const lineStatus = { title: 'ImportLineStatus', enum: LINE_STATUSES, examples: ['imported'] } as const

/** The path of an import. */
export const importParams = rowOf({ id: { ...text, description: 'The id of your import' } })

const importFields = {
  id: { ...text, examples: ['imp_01KDVMF0000000000000000001'] },
  agent_id: { ...agentId, description: 'The agent that the conversations go to' },
  filename: { ...text, examples: ['export.zip'] },
  size: { ...count, description: 'Bytes of the archive', examples: [104_857_600] },
  kind: {
    ...nullable({ title: 'ImportKind', enum: IMPORT_KINDS }),
    description: 'The product, by the first conversation; null until that is read',
  },
  state: {
    title: 'ImportState',
    enum: IMPORT_STATES,
    description:
      '`failed`: the archive could not be read to its end; single conversations may fail in an import that is `done`',
    examples: ['running'],
  },
  reason: { ...nullable(reason), description: 'Why the import failed' },
  counts: {
    title: 'ImportCounts',
    description: 'Conversations so far, by their results',
    ...rowOf({
      imported: { ...count, examples: [312] },
      unchanged: { ...count, examples: [0] },
      empty: { ...count, examples: [4] },
      failed: { ...count, examples: [1] },
    }),
  },
  progress: { type: 'number', minimum: 0, maximum: 1, examples: [0.62] },
  created_at: time,
  ended_at: nullable(time),
} as const

/** An import. */
export const importRow = { title: 'Import', ...rowOf(importFields) } as const

/** An import with lines of its report. */
export const importReport = {
  title: 'ImportReport',
  ...rowOf({
    ...importFields,
    lines: {
      type: 'array',
      items: {
        title: 'ImportLine',
        ...rowOf({
          index: { ...count, description: 'Its place in the archive, from 0', examples: [0] },
          title: { ...nullable(text), examples: ['Plans for the week'] },
          status: {
            ...lineStatus,
            description:
              '`imported`: it has become a thread, or its thread has new messages; `unchanged`: nothing in it is new; `empty`: it has no message that people see',
          },
          reason: { ...nullable(reason), description: 'Why it failed' },
          messages: { ...count, description: 'Messages that were added', examples: [12] },
          agent_id: nullable(agentId),
          thread_id: nullable(threadId),
        }),
      },
    },
  }),
} as const

/** The query of imports. */
export const importsQuery = objectOf(pageQuery)

/** The query of an import, which selects the lines. */
export const linesQuery = objectOf({
  status: { ...lineStatus, description: 'Only conversations with this result' },
  ...pageQuery,
})
