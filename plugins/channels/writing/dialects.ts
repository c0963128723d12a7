import type { Dialect } from '#kernel'
export const render = (markdown: string, _dialect: Dialect): string => markdown
