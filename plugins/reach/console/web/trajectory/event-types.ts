import type { WordKey } from '../i18n/words.ts'
import type { IconComponent } from '../ui/icon.tsx'
import {
  Brain,
  CircleCheck,
  CircleX,
  Gauge,
  GitFork,
  Hand,
  Loader,
  MessageCircle,
  MessageSquareText,
  Paperclip,
  PenLine,
  Wrench,
} from '../ui/icons.ts'
import type { Event } from './steps.ts'

/** The icon and name of each type of event. */
export const EVENT_TYPES: Record<Event['type'], { icon: IconComponent; label: WordKey }> = {
  turn_started: { icon: MessageSquareText, label: 'trajectory.turn_started' },
  content: { icon: PenLine, label: 'trajectory.content' },
  reasoning: { icon: Brain, label: 'trajectory.reasoning' },
  tool_call: { icon: Wrench, label: 'trajectory.tool_call' },
  tool_progress: { icon: Loader, label: 'trajectory.tool_progress' },
  tool_result: { icon: CircleCheck, label: 'trajectory.tool_result' },
  attachment: { icon: Paperclip, label: 'trajectory.attachment' },
  usage: { icon: Gauge, label: 'trajectory.usage' },
  notice: { icon: MessageCircle, label: 'trajectory.notice' },
  hitl_required: { icon: Hand, label: 'trajectory.hitl_required' },
  hitl_resolved: { icon: Hand, label: 'trajectory.hitl_resolved' },
  path_changed: { icon: GitFork, label: 'trajectory.path_changed' },
  done: { icon: CircleCheck, label: 'trajectory.done' },
  error: { icon: CircleX, label: 'trajectory.error' },
}
