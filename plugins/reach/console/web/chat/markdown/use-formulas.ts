import { useEffect, useState } from 'react'
import type { Options } from 'react-markdown'

type Plugins = NonNullable<Options['remarkPlugins']>

interface Formulas {
  remarkPlugins: Plugins
  rehypePlugins: Plugins
}

/** The greatest size of something in a formula, in the size of its letters. */
const MAX_SIZE_EM = 20

const load = async (): Promise<Formulas> => {
  const [{ default: remarkMath }, { default: rehypeKatex }] = await Promise.all([
    import('remark-math'),
    import('rehype-katex'),
    import('katex/dist/katex.min.css'),
  ])
  return {
    // `prepare` has written all formulas between two dollars.
    remarkPlugins: [[remarkMath, { singleDollarTextMath: false }]],
    rehypePlugins: [[rehypeKatex, { strict: 'ignore', maxSize: MAX_SIZE_EM }]],
  }
}

let loaded: Formulas | undefined

/** The plugins that render formulas, loaded when the first text needs them. */
export function useFormulas(isNeeded: boolean): Formulas | undefined {
  const [, setLoaded] = useState(loaded !== undefined)
  useEffect(() => {
    if (!isNeeded || loaded) return
    let isLeft = false
    load().then((formulas) => {
      loaded = formulas
      if (!isLeft) setLoaded(true)
    })
    return () => {
      isLeft = true
    }
  }, [isNeeded])
  return isNeeded ? loaded : undefined
}
