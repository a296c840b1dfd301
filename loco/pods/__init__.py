"""What holds for every pod of a service, be it an engine or an endpoint picker: security, certificate, and the API
server's rules beyond fields and types.
"""
