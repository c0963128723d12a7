import { useEffect, useState } from 'react'

type Formulas = Awaited<ReturnType<typeof load>>

const load = async () => {
  const [{ default: remarkMath }, { default: rehypeKatex }] = await Promise.all([
    import('remark-math'),
    import('rehype-katex'),
    import('katex/dist/katex.min.css'),
  ])
  return { remarkMath, rehypeKatex }
}

let loaded: Formulas | undefined

/** A formula between dollars: `$x$`, but not the prices in "$5 and $6". */
const FORMULA = /\$\$|\$[^\s$](?:[^$\n]*[^\s$])?\$(?!\d)/

/** The plugins that render formulas, loaded when a text has the first one. */
export function useFormulas(text: string): Formulas | undefined {
  const [, setLoaded] = useState(loaded !== undefined)
  const isNeeded = FORMULA.test(text)
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
