import type { Locale } from '#plugin-api'
import type { Artifact, MessageDocument, Notice, ThreadDocument } from './documents.ts'
import type { Cradle } from './manifest.ts'
import { describeNotice, isNoticeCode } from './notices.ts'
import { takeNewest } from './threads/references.ts'

/** The most bytes of artifacts, and of sources, that a thread in a list contains. */
const LISTED_BYTES = { artifacts: 4096, sources: 8192 }

/** Returns the address of a file in an agent's workspace, relative to the server. */
export const fileUrl = (agent_id: string, path: string): string =>
  `/api/agents/${agent_id}/files/content?path=${encodeURIComponent(path)}`

/** Converts a thread to its row. */
export const toThreadRow = ({
  _id,
  user_id,
  agent_id,
  title_by,
  last_seq,
  deleted_at,
  active_turn,
  queue_tail,
  summary,
  base,
  path,
  last_message_id,
  projection_version,
  migration,
  is_unreported,
  reported_seq,
  ...thread
}: ThreadDocument) => ({
  thread_id: _id,
  agent_id,
  archived: false,
  project_id: null,
  allowed_tools: [],
  knowledge_base_ids: [],
  ...thread,
  artifacts: toArtifactRows(agent_id, thread.artifacts),
  turn_active: active_turn !== null,
})

/** Converts a thread to its row in a list, with its newest artifacts and sources. */
export function toThreadListRow(thread: ThreadDocument) {
  const { artifacts, sources, ...row } = toThreadRow(thread)
  return {
    ...row,
    artifacts: takeNewest(artifacts, LISTED_BYTES.artifacts),
    sources: takeNewest(sources, LISTED_BYTES.sources),
  }
}

/** Converts a notice to its row, in the reader's language. */
const toNoticeRow = ({ code, message, details }: Notice, locale: Locale) => ({
  code,
  message: isNoticeCode(code) ? describeNotice(code, locale, details ?? {}) : message,
  ...(details && { details }),
})

/** Adds their addresses to the files that turns made. */
export const toArtifactRows = (agent_id: string, artifacts: readonly Artifact[]) =>
  artifacts.map((artifact) => ({ ...artifact, url: fileUrl(agent_id, artifact.path) }))

/** Converts a message of a thread with an agent to its row. */
export const toMessageRow = (
  {
    _id,
    thread_id,
    position,
    branch,
    thoughts,
    documents,
    is_copied,
    artifacts,
    notices,
    error,
    ...message
  }: MessageDocument,
  agent_id: string,
  {
    locale,
    describeError,
    versions,
  }: { locale: Locale; versions?: ReadonlyMap<string, string[]> } & Pick<Cradle, 'describeError'>,
) => ({
  id: _id,
  ...message,
  ...(versions?.has(_id) && { versions: versions.get(_id) }),
  ...(notices && { notices: notices.map((notice) => toNoticeRow(notice, locale)) }),
  ...(artifacts && { artifacts: toArtifactRows(agent_id, artifacts) }),
  ...(error && {
    error: {
      code: error.code,
      message: describeError(error.code, error.details, locale) ?? error.message,
    },
  }),
})
