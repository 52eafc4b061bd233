'''Bookings for Brannay's hire kayaks, planned around the tide.'''
