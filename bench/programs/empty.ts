// Does nothing: what starting the runtime costs.
