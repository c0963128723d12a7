import type { DocumentPlace } from '../../knowledge/knowledge.ts'
import { createPublisher } from '../store/publisher.ts'

/** A file that a message names. */
export interface ChatFile {
  path: string
  filename: string
  media_type: string
  size?: number
  /** The page of a document that is shown first. */
  page?: number
}

/** The state of the panel at the right of a conversation. */
export interface PanelState {
  isOpen: boolean
  /** The file that is shown; without one, the lists of files and sources. */
  file?: (ChatFile & { agent_id: string }) | undefined
  /** The place in a document of a knowledge base that is shown instead. */
  documentPlace?: DocumentPlace
}

/** The panel at the right of conversations. */
export const panel = createPublisher<PanelState>({ isOpen: false })

/** Shows a file in the panel. */
export const openFile = (file: ChatFile & { agent_id: string }) =>
  panel.update(() => ({ isOpen: true, file }))

/** Shows a place in a document of a knowledge base in the panel. */
export const openPlace = (documentPlace: DocumentPlace) =>
  panel.update(() => ({ isOpen: true, documentPlace }))

/** Opens or closes the panel. */
export const togglePanel = () => panel.update(({ isOpen }) => ({ isOpen: !isOpen }))
