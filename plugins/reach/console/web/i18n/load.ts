import enStart from './en/start.ts'
import { language } from './language.ts'
import { addWords } from './words.ts'
import zhStart from './zh/start.ts'

/** Adds the texts that the page needs before somebody has signed in. */
export const addStartWords = (): void => addWords(language === 'zh' ? zhStart : enStart)

/** Loads the texts of the chat and of the frame around all pages. */
const loadAppWords = async () =>
  addWords((await (language === 'zh' ? import('./zh/app.ts') : import('./en/app.ts'))).default)

/** Loads the texts of all other pages. */
const loadPageWords = async () =>
  addWords((await (language === 'zh' ? import('./zh/pages.ts') : import('./en/pages.ts'))).default)

const withWords =
  (loadWords: () => Promise<void>) =>
  <Module>(load: () => Promise<Module>) =>
  async (): Promise<Module> =>
    (await Promise.all([load(), loadWords()]))[0]

/** Returns a function that loads a module of the chat together with the texts that it needs. */
export const withAppWords = withWords(loadAppWords)

/** Returns a function that loads a module of other pages together with the texts that it needs. */
export const withPageWords = withWords(loadPageWords)
