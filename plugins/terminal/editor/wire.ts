import type { Block, ErrorFrame, FileBlock, History, Message, ServerFrame } from '../frames.ts'

/** What the server sends on the chat socket, with the fields that only an editor is shown. */
export type EditorFrame = (Exclude<ServerFrame, ErrorFrame> & FrameDetails) | ErrorFrame

interface FrameDetails {
  message_id?: string
  filename?: string
  url?: string | null
}

/** One block of a stored message. */
export interface StoredBlock extends Block {
  id?: string
  thinking?: string
  filename?: string
  media_type?: string
}

/** A stored message; `artifacts` are the files that were made with it. */
export interface StoredMessage extends Message {
  content: StoredBlock[]
  artifacts?: Omit<FileBlock, 'type'>[]
}

/** A page of a thread's messages, oldest first; `next_cursor` gives the page before it. */
export interface HistoryPage extends History {
  messages: StoredMessage[]
  next_cursor: string | null
}
