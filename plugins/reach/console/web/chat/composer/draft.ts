import type { components, InputBlock } from '#client'
import type { SendSettings } from '../store/thread-store.ts'

export type DocumentFacts = components['schemas']['DocumentFacts']

/** A file that was uploaded for the next message. */
export type DraftFile = Extract<InputBlock, { path: string }> & {
  size?: number
  document?: DocumentFacts | undefined
}

/** A message that is being written. */
export interface DraftText {
  text: string
  files: readonly DraftFile[]
  settings: SendSettings
}

const EMPTY: DraftText = { text: '', files: [], settings: {} }

/** Creates the draft of one conversation, which outlives a reload of the page. */
function createDraft(key: string) {
  const name = `svc.draft.${key}`
  let draft = readStored(name)
  const listeners = new Set<() => void>()

  const set = (change: Partial<DraftText>) => {
    draft = { ...draft, ...change }
    store()
    for (const listener of listeners) listener()
  }
  const store = () => {
    if (JSON.stringify(draft) === JSON.stringify(EMPTY)) sessionStorage.removeItem(name)
    else sessionStorage.setItem(name, JSON.stringify(draft))
  }

  return {
    read: () => draft,
    listen(listener: () => void) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    set,
    /** Adds a file of the workspace. */
    attach({ path, filename, media_type }: Omit<DraftFile, 'type'>) {
      const type = media_type.startsWith('image/') ? ('image' as const) : ('file' as const)
      const others = draft.files.filter((file) => file.path !== path)
      set({ files: [...others, { type, path, filename, media_type }] })
    },
    /** Changes what is known of an attached document. */
    describe: (path: string, document: DocumentFacts | undefined) =>
      set({ files: draft.files.map((file) => (file.path === path ? { ...file, document } : file)) }),
    /** Puts a text into the draft, after what was written. */
    insert: (text: string) => set({ text: draft.text.trim() === '' ? text : `${draft.text}\n${text}` }),
    /** Takes the text and the files out of the draft; until the returned function is called, a reload brings it back. */
    take() {
      const stored = sessionStorage.getItem(name)
      set({ text: '', files: [] })
      if (stored !== null) sessionStorage.setItem(name, stored)
      return () => {
        if (sessionStorage.getItem(name) === stored) store()
      }
    },
  }
}

export type Draft = ReturnType<typeof createDraft>

const drafts = new Map<string, Draft>()

/** The draft of a thread, or of a new thread with an agent, by the id of either. */
export function draftOf(key: string): Draft {
  const draft = drafts.get(key) ?? createDraft(key)
  drafts.set(key, draft)
  return draft
}

function readStored(name: string): DraftText {
  try {
    return { ...EMPTY, ...JSON.parse(sessionStorage.getItem(name) ?? '{}') }
  } catch {
    return EMPTY
  }
}
