import { createContext } from 'react'

/** The files that the links of an answer may open, in place of the workspace of its agent. */
export interface FileSource {
  has(path: string): boolean
  open(path: string): void
}

/** The files of a copy of a conversation; undefined in a conversation with an agent. */
export const FileSourceContext = createContext<FileSource | undefined>(undefined)
