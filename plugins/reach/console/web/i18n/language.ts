/** The languages of the console. */
export type Language = 'en' | 'zh'

const KEY = 'svc.language'

/** The language of this page: the one chosen last in this browser, or else the nearest that the browser asks for. */
export const language: Language = readChoice() ?? (/^zh\b/i.test(navigator.language) ? 'zh' : 'en')

/** Remembers a language for this browser and loads the page again in it. */
export function chooseLanguage(chosen: Language): void {
  if (chosen === language) return
  localStorage.setItem(KEY, chosen)
  location.reload()
}

/** Takes over the language of an account, unless another one was chosen in this browser. */
export function adoptLanguage(chosen: Language | null): void {
  if (chosen && readChoice() === undefined) chooseLanguage(chosen)
}

function readChoice(): Language | undefined {
  const choice = localStorage.getItem(KEY)
  return choice === 'en' || choice === 'zh' ? choice : undefined
}
