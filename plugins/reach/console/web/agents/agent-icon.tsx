import type { IconComponent } from '../ui/icon.tsx'
import {
  Briefcase,
  ChartColumn,
  CodeXml,
  Compass,
  Languages,
  Microscope,
  PenLine,
  Scale,
  Server,
  Sparkles,
} from '../ui/icons.ts'
import { Monogram } from '../ui/monogram.tsx'
import classes from './agent-icon.module.css'

/** The pictures of agents by the names that are stored. */
export const ICONS: Record<string, IconComponent> = {
  sparkles: Sparkles,
  'pen-line': PenLine,
  'code-xml': CodeXml,
  'chart-column': ChartColumn,
  languages: Languages,
  microscope: Microscope,
  compass: Compass,
  briefcase: Briefcase,
  scale: Scale,
  server: Server,
}

/** The colours that an agent can have. */
export const COLORS = ['#4f46e5', '#0f766e', '#b45309', '#be123c', '#6d28d9', '#0369a1', '#4d7c0f', '#57534c']

/** The sizes of the icon in its square. */
const ICON_SIZES = { sm: 12, md: 18, lg: 22 }

interface Props {
  agent: { name: string; icon: string | null; color: string | null }
  size?: keyof typeof ICON_SIZES
}

/** The picture of an agent: its icon, an emoji, or the first letter of its name. */
export function AgentIcon({ agent: { name, icon, color }, size = 'md' }: Props) {
  const Icon = icon ? ICONS[icon] : undefined
  if (!Icon)
    return (
      <Monogram name={icon && [...icon].length <= 2 ? icon : name} color={color} isSmall={size === 'sm'} />
    )
  return (
    <span className={classes.icon} data-size={size} style={{ background: color ?? COLORS[0] }} aria-hidden>
      <Icon size={ICON_SIZES[size]} />
    </span>
  )
}
