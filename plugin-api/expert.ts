import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Locale, type LocalizedText, localizedText, rowOf } from '#kernel'

/** Something to begin a conversation with, at one click. */
export interface QuickPrompt {
  title: LocalizedText
  description: LocalizedText
  prompt: LocalizedText
  /** True if it is about a file, which the person attaches first. */
  asks_for_file?: boolean
}

/** The JSON Schema of what a conversation with an agent may begin with. */
export const quickPrompts = {
  type: 'array',
  description: 'Prompts to begin a conversation with',
  items: {
    title: 'QuickPrompt',
    ...rowOf(
      {
        title: { ...localizedText, examples: [{ en: 'Explain a table', zh: '解释表格' }] },
        description: {
          ...localizedText,
          examples: [{ en: 'Find what is unusual', zh: '找出值得注意的内容' }],
        },
        prompt: {
          ...localizedText,
          examples: [{ en: 'What is unusual in sales.csv?', zh: 'sales.csv 中有什么值得注意？' }],
        },
        asks_for_file: { type: 'boolean', description: 'True if it is about a file to attach' },
      },
      ['asks_for_file'],
    ),
  },
} as const

/** The JSON Schema of examples of what an agent may do by itself, again and again. */
export const taskExamples = {
  title: 'TaskExamples',
  ...rowOf({
    en: {
      type: 'array',
      items: { type: 'string' },
      examples: [['Every Monday, sum up the sales of last week.']],
    },
    zh: { type: 'array', items: { type: 'string' }, examples: [['每周一汇总上周的销售额。']] },
  }),
} as const

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
  /**
   * An absolute path. A new workspace begins with what its folder `en` or `zh` holds, and with what is the same in
   * both languages, from `shared`, if there is such a folder.
   */
  files: string
}

/** Lists the folders of an expert whose files a workspace in this language begins with. */
export function listTemplateFolders({ files }: Expert, locale: Locale): string[] {
  const shared = join(files, 'shared')
  return [...(existsSync(shared) ? [shared] : []), join(files, locale)]
}
