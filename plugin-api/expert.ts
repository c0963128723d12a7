import type { LocalizedText } from '#kernel'

/** Something to begin a conversation with, at one click. */
export interface QuickPrompt {
  title: LocalizedText
  description: LocalizedText
  prompt: LocalizedText
}

/** A template that agents are made from. Registered by the experts plugin, or by any other. */
export interface Expert {
  id: string
  label: LocalizedText
  description: LocalizedText
  welcome_message: LocalizedText
  /** The name of an icon of the Lucide set. */
  icon: string
  /** As `#rrggbb`. */
  color: string
  quick_prompts: readonly QuickPrompt[]
  task_examples: { en: readonly string[]; zh: readonly string[] }
  /** An absolute path: its folders `en` and `zh` each hold what a new workspace begins with. */
  files: string
}
