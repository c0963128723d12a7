import { useMemo, useSyncExternalStore } from 'react'
import type { SlotContext } from '#plugin-api/console'
import { language } from '../i18n/language.ts'
import { client } from '../server/client.ts'
import { showToast } from '../ui/toast.tsx'
import { insertText } from './insert-text.ts'
import { request } from './request.ts'

/** The facts that differ from one place of a slot to the next. */
export type SlotFacts = Pick<SlotContext, 'agent_id' | 'message_id' | 'text'> & {
  thread_id?: string | undefined
}

/** The most characters of a note. */
const MAX_TOAST_CHARS = 300

const toast = (text: string) => showToast(String(text).slice(0, MAX_TOAST_CHARS))

// Read from the page, since the hook of Mantine would load the components of forms.
const readTheme = () => (document.documentElement.dataset.mantineColorScheme === 'dark' ? 'dark' : 'light')

function onTheme(report: () => void): () => void {
  const observer = new MutationObserver(report)
  observer.observe(document.documentElement, { attributeFilter: ['data-mantine-color-scheme'] })
  return () => observer.disconnect()
}

/** Returns the context of a module, which is the same object until something of it changes. */
export function useSlotContext({ agent_id, thread_id, message_id, text }: SlotFacts): SlotContext {
  const theme = useSyncExternalStore(onTheme, readTheme)
  return useMemo(
    () => ({
      client,
      request,
      locale: language,
      theme,
      ...(agent_id !== undefined && { agent_id }),
      ...(thread_id !== undefined && { thread_id }),
      ...(message_id !== undefined && { message_id }),
      ...(text !== undefined && { text }),
      toast,
      insert: insertText,
    }),
    [theme, agent_id, thread_id, message_id, text],
  )
}
