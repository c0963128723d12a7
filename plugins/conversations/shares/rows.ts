import {
  isFileBlock,
  type ShareDocument,
  type SharedBlock,
  type SharedMessage,
  type SnapshotDocument,
  type StoredMessage,
} from './documents.ts'
import type { Cradle } from './manifest.ts'

/** Converts a share to its row. */
export function toShareRow(
  { _id, user_id, snapshot_id, checked_at, ...share }: ShareDocument,
  { server }: Pick<Cradle, 'server'>,
) {
  const origin = server.public_url?.replace(/\/+$/, '') ?? ''
  return { share_id: _id, url: `${origin}/shared/${_id}`, ...share }
}

/** Adds the addresses of the copied files to the messages of a share. */
export function toSharedMessages(
  share_id: string,
  { files }: SnapshotDocument,
  messages: readonly StoredMessage[],
): SharedMessage[] {
  const copies = new Map(files.map((file) => [file.path, file]))
  const locate = <File extends { path: string }>(file: File) => {
    const copy = copies.get(file.path)
    const url = copy ? `/api/shared/${share_id}/files/${copy.file_id}` : null
    return { ...file, size: copy?.size ?? null, url }
  }
  return messages.map(({ content, artifacts, ...message }) => ({
    ...message,
    content: content.map((block): SharedBlock => (isFileBlock(block) ? locate(block) : block)),
    ...(artifacts && { artifacts: artifacts.map(locate) }),
  }))
}
