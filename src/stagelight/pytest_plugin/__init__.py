"""The pytest plugin: markers, fixtures and a summary. Inert unless asked for."""
