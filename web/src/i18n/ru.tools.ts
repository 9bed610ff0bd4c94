import type { tools as english } from './en.tools'
import type { Dictionary } from './index'

export const tools: Pick<Dictionary, keyof typeof english> = {
  replay: 'Повтор по шагам',
  play: 'Воспроизвести',
  'play.speed': 'Скорость',
  zoom: 'Масштаб',
  'zoom.fit': 'Вписать',
  'step.n': 'Шаг {n}',
  'shot.step': 'Шаг {n}/{of}',
  'shot.asked': 'Спросил:',
  'shot.handover': 'Передал управление вам',
  'shot.marks': 'Показывать место действия',
  'shot.save': 'Скачать снимок',
  'shot.none': 'Шагов пока не было.',
  'shot.unseen': 'На этом шаге снимка ещё не было.',
  'shot.picture': 'Страница на этом шаге',
  'shot.timeline': 'Шкала времени',
  'shot.strip': 'Все шаги',
  'shot.nowhere': 'Нет страницы',
  'shot.mark.approval': 'спросил разрешение',
  'shot.mark.handover': 'передал управление',
  'shot.open.question': 'ответа ещё нет',
  'shot.answer.yes': 'разрешено',
  'shot.answer.no': 'отклонено',
  'shot.answer.void': 'больше не спрашивает',
}
