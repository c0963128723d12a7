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
  /** The names of the tools without which nothing comes of it, such as `web_search`. */
  needs?: readonly string[]
}

/** The JSON Schema of the tools that an expert or a prompt needs and a turn of the caller would not have. */
export const missingTools = {
  type: 'array',
  description: 'The tools that it needs and that a turn of the caller would not have',
  items: {
    title: 'MissingTool',
    ...rowOf({
      tool: { type: 'string', description: 'The name of the tool', examples: ['web_search'] },
      label: { ...localizedText, examples: [{ en: 'Search the web', zh: '搜索网页' }] },
      reason: {
        title: 'MissingToolReason',
        enum: ['not_installed', 'off', 'forbidden', 'not_set_up'],
        description:
          '`not_installed`: no plugin of the server has it; `off`: it is switched off for the agent; `forbidden`: the caller lacks the permission; `not_set_up`: it lacks something, such as a search engine',
      },
    }),
  },
} as const

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
        missing: missingTools,
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
  /** The names of the tools without which it cannot do its work, such as `web_search`. */
  needs?: readonly string[]
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
