import { createContext, useContext } from 'react'

const StageShown = createContext(false)

export const StageShownProvider = StageShown.Provider
/** Whether the browser is next to the chat, with a button of its own to take it over. */
export const useIsStageShown = () => useContext(StageShown)
