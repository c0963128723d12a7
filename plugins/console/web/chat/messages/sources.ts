import { createContext } from 'react'
import type { Source, Turn } from '../store/thread-view.ts'
import { addNewest } from '../store/thread-view.ts'

/** The sources that the numbers in a text mean; `[1]` is the first. */
export const SourcesContext = createContext<readonly Source[]>([])

/** The sources of a turn, each once, in the order in which tools named them. */
export const listSources = ({ messages }: Turn): readonly Source[] =>
  addNewest(
    [],
    messages.flatMap(({ sources = [] }) => sources),
    'id',
  )
