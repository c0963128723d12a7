import { language } from '../i18n/language.ts'
import { findWord } from '../i18n/words.ts'

/** A tool in a sentence: of the console for built-in tools, otherwise the first one that the model reads. */
export const aboutTool = ({ name, description }: { name: string; description: string }) =>
  findWord(`agents.tool_${name}`) ??
  (language === 'en' ? /^.*?[.:](?=\s|$)/s.exec(description)?.[0] : undefined)
